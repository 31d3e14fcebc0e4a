import '@mantine/core/styles/Table.css'
import { Anchor, Table, Text } from '@mantine/core'
import { useFormatter, useTranslations } from 'use-intl'
import { Link } from 'wouter'
import type { Board } from '../app/shapes'

/** The number of waiting and open conversations of each channel, busiest first. */
export function Channels({ channels }: { channels: Board['channels'] }) {
  const words = useTranslations('board')
  const format = useFormatter()
  if (channels.length === 0) return <Text className="muted">{words('noChannels')}</Text>
  const busiest = channels.toSorted((a, b) => b.waiting - a.waiting || b.open - a.open)
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0}>
      <Table aria-label={words('channels')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words('channel')}</Table.Th>
            <Table.Th ta="end">{words('waiting')}</Table.Th>
            <Table.Th ta="end">{words('open')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {busiest.map(({ id, name, waiting, open }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row">
                <Anchor component={Link} to={`/inbox/all?channel=${id}`}>
                  {name}
                </Anchor>
              </Table.Th>
              <Table.Td ta="end">{format.number(waiting)}</Table.Td>
              <Table.Td ta="end">{format.number(open)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
