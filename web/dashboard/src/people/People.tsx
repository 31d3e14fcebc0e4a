import { useParams } from 'wouter'
import { AdminWords } from '../app/AdminWords'
import type { Me } from '../app/shapes'
import { PeopleList } from './PeopleList'
import { PersonPage } from './PersonPage'

/** The staff screen: the list, or one agent. Admins can change agents, supervisors can only
 * read. */
export default function People({ me }: { me: Me }) {
  const { person } = useParams<{ person?: string }>()
  return (
    <AdminWords>
      {person === undefined ? (
        <PeopleList me={me} />
      ) : (
        <PersonPage key={person} me={me} id={person} />
      )}
    </AdminWords>
  )
}
