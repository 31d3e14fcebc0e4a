import { Component, type ReactNode } from 'react'
import { ErrorState } from './ErrorState'

/** Shows an error in place of a part that failed to render; the rest of the page keeps working. A
 * new `name` resets it. */
export class Boundary extends Component<
  { name: string; children: ReactNode },
  { error: unknown; of: string }
> {
  override state = { error: null as unknown, of: this.props.name }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  static getDerivedStateFromProps(props: { name: string }, state: { of: string }) {
    return state.of === props.name ? null : { of: props.name, error: null }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return <ErrorState error={error} onRetry={() => location.reload()} />
  }
}
