import '@mantine/core/styles/Checkbox.css'
import { Checkbox } from '@mantine/core'
import classes from './People.module.css'

interface ChoicesProps {
  legend: string
  all: { id: number; name: string }[]
  chosen: number[]
  onChange: (chosen: number[]) => void
  isFixed?: boolean
}

/** A group of checkboxes. */
export function Choices({ legend, all, chosen, onChange, isFixed = false }: ChoicesProps) {
  if (all.length === 0) return null
  return (
    <fieldset className={classes.choices}>
      <legend>{legend}</legend>
      {all.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          disabled={isFixed}
          checked={chosen.includes(id)}
          onChange={(event) =>
            onChange(
              event.currentTarget.checked ? [...chosen, id] : chosen.filter((it) => it !== id),
            )
          }
        />
      ))}
    </fieldset>
  )
}
