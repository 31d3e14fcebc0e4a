// A value that is changed by live frames and by pages from the server.

export type Change<T> = (value: T) => T

/** A page may be older than the changes that arrived while it was loading. These are applied again
 * after the page. */
export class Replay<T> {
  /** The changes that arrived since each running request began. */
  private readonly loads = new Set<Change<T>[]>()

  constructor(private readonly held: { value: T }) {}

  apply(change: Change<T>): void {
    for (const arrived of this.loads) arrived.push(change)
    this.held.value = change(this.held.value)
  }

  /** Loads a page, adds it to the value, and returns it. */
  async load<P>(page: () => Promise<P>, add: (value: T, page: P) => T): Promise<P> {
    const arrived: Change<T>[] = []
    this.loads.add(arrived)
    try {
      const loaded = await page()
      const added = add(this.held.value, loaded)
      this.held.value = arrived.reduce((value, change) => change(value), added)
      return loaded
    } finally {
      this.loads.delete(arrived)
    }
  }
}
