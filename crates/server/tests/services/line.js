// What the published client of LINE says: of signatures, as a receiver of webhooks, and to a server.
// The standard input is JSON: {signed: [{body, secret, signature}], server, token, to, replyToken}.
'use strict'

const { readFileSync } = require('node:fs')
const { messagingApi, validateSignature } = require('@line/bot-sdk')

async function main() {
  const asked = JSON.parse(readFileSync(0, 'utf8'))
  const isValid = asked.signed.map(({ body, secret, signature }) =>
    validateSignature(body, secret, signature),
  )
  const config = { channelAccessToken: asked.token, baseURL: asked.server }
  const client = new messagingApi.MessagingApiClient(config)
  const messages = [{ type: 'text', text: 'hello' }]
  const key = 'b2a5e2a4-3a0c-4d3f-9d0e-2b6a3f1c7d11'
  const refused = async (call) => {
    try {
      await call()
      return 0
    } catch (error) {
      return error.status
    }
  }
  const { replyToken, to } = asked
  const said = {
    isValid,
    bot: (await client.getBotInfo()).displayName,
    name: (await client.getProfile(to)).displayName,
    reply: (await client.replyMessage({ replyToken, messages })).sentMessages.length,
    replyAgain: await refused(() => client.replyMessage({ replyToken, messages })),
    push: (await client.pushMessage({ to, messages }, key)).sentMessages.length,
    pushAgain: await refused(() => client.pushMessage({ to, messages }, key)),
    quota: (await client.getMessageQuota()).value,
    endpoint: (await client.getWebhookEndpoint()).endpoint,
  }
  const stranger = new messagingApi.MessagingApiClient({ ...config, channelAccessToken: 'wrong' })
  said.stranger = await refused(() => stranger.getBotInfo())
  console.log(JSON.stringify(said))
}

main()
