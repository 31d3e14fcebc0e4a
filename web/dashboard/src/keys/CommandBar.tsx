import '@mantine/core/styles/Kbd.css'
import { Kbd, Modal, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from 'use-intl'
import type { Me } from '../app/shapes'
import classes from './CommandBar.module.css'
import { restoreFocus } from './regions'
import { type Command, useCommands } from './useCommands'

interface CommandBarProps {
  me: Me
  onClose: () => void
  onHelp: () => void
}

/** The command bar: finds actions, conversations, screens and account settings by name. */
export default function CommandBar({ me, onClose, onHelp }: CommandBarProps) {
  const words = useTranslations('keys')
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text, 150)
  const [isOpen, setOpen] = useState(true)
  const [at, setAt] = useState(0)
  const chosen = useRef<Command | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const commands = useCommands(me, asked, onHelp)
  const here = Math.min(at, commands.length - 1)
  useEffect(() => {
    list.current?.children[here]?.scrollIntoView({ block: 'nearest' })
  }, [here])

  function choose(command: Command | undefined) {
    if (!command) return
    chosen.current = command
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setAt((here + step + commands.length) % Math.max(commands.length, 1))
    else if (event.key === 'Enter') choose(commands[here])
    else return
    event.preventDefault()
  }

  return (
    <Modal.Root
      opened={isOpen}
      onClose={() => setOpen(false)}
      returnFocus={chosen.current === null}
      transitionProps={{ duration: 0 }}
      onExitTransitionEnd={() => {
        onClose()
        const command = chosen.current
        // The command's dialog must be rendered before it can get the focus.
        setTimeout(() => {
          if (command) flushSync(command.run)
          restoreFocus()
        })
      }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={words('commandBar')}>
        <Modal.Body pt="md">
          <TextInput
            data-autofocus
            role="combobox"
            aria-label={words('commandBar')}
            aria-expanded={commands.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={commands.length > 0 ? `${id}-${here}` : undefined}
            aria-autocomplete="list"
            placeholder={words('commandHint')}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
          />
          <div
            ref={list}
            id={`${id}-list`}
            role="listbox"
            aria-label={words('commandBar')}
            className={classes.list}
          >
            {commands.map((command, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
              <div
                key={command.id}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === here}
                tabIndex={-1}
                className={classes.command}
                onClick={() => choose(command)}
                onPointerMove={() => setAt(index)}
              >
                <span className={classes.text}>{command.text}</span>
                <span className={`${classes.group} muted`}>{words(`groups.${command.group}`)}</span>
                {command.key && <Kbd>{command.key}</Kbd>}
              </div>
            ))}
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
