// Many customers who have written.
import type { Server } from './server'

/** So many requests are under way at a time. */
const AT_ONCE = 32

/** Does something so many times, with the numbers from 0 on, several at a time. */
export async function times(count: number, deed: (number: number) => Promise<unknown>) {
  let next = 0
  const doer = async () => {
    for (let number = next++; number < count; number = next++) await deed(number)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, doer))
}

/** `Customer 0` and so on have written into a channel. */
export async function crowd(server: Server, channel: string, count: number): Promise<void> {
  await server.channel(channel)
  await times(count, (number) =>
    server.say(channel, `628${number}`, `Customer ${number}`, `Message ${number}.`),
  )
}
