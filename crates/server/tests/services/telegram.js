// A Bot API that others wrote, and customers who write to its bots. Each line of the standard input is
// what a customer does, as JSON; each is answered with a line of JSON.
'use strict'

const { createServer } = require('node:net')
const { createInterface } = require('node:readline')
const TelegramServer = require('telegram-test-api')

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function main() {
  const port = await freePort()
  const server = new TelegramServer({ host: '127.0.0.1', port })
  await server.start()
  console.log(JSON.stringify({ port }))
  for await (const line of createInterface({ input: process.stdin })) {
    const { does, token, chat, text, data, message } = JSON.parse(line)
    const client = server.getClient(token, { userId: chat, chatId: chat, firstName: 'Ana' })
    let answer
    if (does === 'say') {
      answer = await client.sendMessage(client.makeMessage(text))
    } else if (does === 'press') {
      const pressed = client.makeCallbackQuery(data, { message: { message_id: message } })
      answer = await client.sendCallback(pressed)
    } else {
      const all = await client.getUpdatesHistory()
      answer = all.filter((it) => String(it.message?.chat_id) === String(chat))
    }
    console.log(JSON.stringify(answer))
  }
  await server.stop()
}

main()
