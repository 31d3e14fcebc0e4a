import { Component, type ReactNode } from 'react'
import { ErrorState } from './ErrorState'

/** Shows that a part of the page failed, in its place: the rest goes on. Another `name` is another
 * try. */
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
