// Creates many customers with messages.
import type { Server } from './server'

/** Maximum number of concurrent requests. */
const AT_ONCE = 32

/** Runs an action for the numbers 0 to `count - 1`, several at a time. */
export async function times(count: number, deed: (number: number) => Promise<unknown>) {
  let next = 0
  const doer = async () => {
    for (let number = next++; number < count; number = next++) await deed(number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, doer))
}

/** Creates `Customer 0` to `Customer {count - 1}`, each with a message in a new channel. */
export async function crowd(server: Server, channel: string, count: number): Promise<void> {
  await server.channel(channel)
  await times(count, (number) =>
    server.say(channel, `628${number}`, `Customer ${number}`, `Message ${number}.`),
  )
}
