// Two users of the published SDK, ana and bob, each against a server of their own address, as an app
// in a browser would use it. Prints a line for each thing that was seen; ends with 1 at the first
// thing that was not.
//
// CONFAB_ADDRESSES: host:port of the server of ana and of bob (they may be the same)
// CONFAB_KEY, CONFAB_CERTIFICATE: files for the TLS front; the SDK connects by wss only
'use strict'
const fs = require('fs')
const http = require('http')
const https = require('https')
const net = require('net')
const path = require('path')
const os = require('os')
const SDK = require('qiscus-sdk-core')

const APP = 'shop'
const WAIT_MS = 60000

// A TLS front before a server, as in every real installation. It can lose an answer: the request is
// passed on, and the client is told 503.
class Front {
  constructor(address) {
    const [host, port] = address.split(':')
    this.target = { host, port }
    this.losesAnswerOf = null
    this.posts = 0
    const tls = {
      key: fs.readFileSync(process.env.CONFAB_KEY),
      cert: fs.readFileSync(process.env.CONFAB_CERTIFICATE),
    }
    this.server = https.createServer(tls, (req, res) => this.pass(req, res))
    this.server.on('upgrade', (req, socket, head) => this.upgrade(req, socket, head))
  }

  async listen() {
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done))
    return `localhost:${this.server.address().port}`
  }

  pass(req, res) {
    const { method, url, headers } = req
    const isLost = this.losesAnswerOf != null && url.includes(this.losesAnswerOf)
    if (isLost) this.losesAnswerOf = null
    if (url.includes('post_comment')) this.posts += 1
    const on = http.request({ ...this.target, method, path: url, headers }, (answer) => {
      if (!isLost) {
        res.writeHead(answer.statusCode, answer.headers)
        answer.pipe(res)
        return
      }
      answer.resume()
      answer.on('end', () => {
        res.writeHead(503, { 'content-type': 'application/json' })
        res.end('{"error":{"message":"try again"},"status":503}')
      })
    })
    on.on('error', () => res.destroy())
    req.pipe(on)
  }

  upgrade(req, socket, head) {
    const on = net.connect(this.target.port, this.target.host, () => {
      const lines = [`${req.method} ${req.url} HTTP/1.1`]
      for (let at = 0; at < req.rawHeaders.length; at += 2) {
        lines.push(`${req.rawHeaders[at]}: ${req.rawHeaders[at + 1]}`)
      }
      on.write(lines.join('\r\n') + '\r\n\r\n')
      on.write(head)
      on.pipe(socket).pipe(on)
    })
    on.on('error', () => socket.destroy())
    socket.on('error', () => on.destroy())
  }
}

// Everything the SDK calls back with, and a way to wait for it.
class Person {
  constructor(id, front) {
    this.id = id
    this.front = front
    this.seen = []
    this.sdk = new SDK()
  }

  async login(at) {
    const seen = (what) => (...args) => {
      this.seen.push({ what, args })
    }
    await this.sdk.init({
      AppId: APP,
      baseURL: `https://${at}`,
      mqttURL: `wss://${at}/mqtt`,
      syncInterval: 1000,
      options: {
        newMessagesCallback: (messages) => messages.forEach((it) => seen('message')(it)),
        commentDeletedCallback: seen('deleted'),
        commentReadCallback: seen('read'),
        commentDeliveredCallback: seen('delivered'),
        presenceCallback: seen('presence'),
        typingCallback: seen('typing'),
        roomClearedCallback: seen('cleared'),
        messageUpdatedCallback: seen('updated'),
      },
    })
    const name = this.id[0].toUpperCase() + this.id.slice(1)
    await this.sdk.setUser(this.id, `key-of-${this.id}`, name)
    await until(`${this.id} is connected`, () => this.sdk.realtimeAdapter.connected)
  }

  all(what, matches = () => true) {
    return this.seen.filter((it) => it.what === what && matches(...it.args))
  }

  async sees(what, matches) {
    await until(`${this.id} sees ${what}`, () => this.all(what, matches).length > 0)
    return this.all(what, matches)[0].args
  }
}

async function until(what, holds) {
  const end = Date.now() + WAIT_MS
  while (!holds()) {
    if (Date.now() > end) throw new Error(`in vain: ${what}`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

function check(what, holds) {
  if (!holds) throw new Error(`not so: ${what}`)
  console.log(`seen: ${what}`)
}

async function main() {
  const [first, second] = process.env.CONFAB_ADDRESSES.split(',')
  const fronts = [new Front(first), new Front(second)]
  const ana = new Person('ana', fronts[0])
  const bob = new Person('bob', fronts[1])

  await ana.login(await fronts[0].listen())
  await bob.login(await fronts[1].listen())
  check('both log in', ana.sdk.userData.token && bob.sdk.userData.token)

  const room = await ana.sdk.chatTarget('bob')
  const same = await bob.sdk.chatTarget('ana')
  check('both open the same room', room.id === same.id && room.room_type === 'single')
  const listens = (who) => () =>
    who.sdk.realtimeAdapter.mqtt._resubscribeTopics[`r/${room.id}/${room.id}/+/t`] != null
  await until('both listen to the room', () => listens(ana)() && listens(bob)())

  const sent = await ana.sdk.sendComment(room.id, 'hello bob')
  const [received] = await bob.sees('message', (it) => it.message === 'hello bob')
  check('a message arrives', received.unique_temp_id === sent.unique_temp_id)
  check('the message names its sender', received.email === 'ana' && received.username === 'Ana')
  const loaded = await bob.sdk.loadComments(room.id)
  check('the message is loaded', loaded.some((it) => it.unique_temp_id === sent.unique_temp_id))

  bob.sdk.readComment(room.id, received.id)
  await ana.sees('read', ({ comment }) => comment.id === received.id)
  check('the sender sees that the message was read', true)
  const unread = await bob.sdk.getTotalUnreadCount()
  check('no message is unread afterwards', unread === 0)

  ana.sdk.publishTyping(1)
  const [typing] = await bob.sees('typing', (it) => it.username === 'ana' && it.message === '1')
  check('bob sees ana typing', String(typing.room_id) === String(room.id))

  const [presence] = await bob.sees('presence', (it, who) => who === 'ana' && it[0] === '1')
  check('bob sees since when ana is online', /^1:\d{13}$/.test(presence))
  const states = await bob.sdk.getUserPresences(['ana'])
  check('a call returns that ana is online', states[0].email === 'ana' && states[0].status === 1)

  const old = await ana.sdk.sendComment(room.id, 'to be corrected')
  await bob.sees('message', (it) => it.message === 'to be corrected')
  await ana.sdk.updateMessage({ ...old, unique_id: old.unique_temp_id, message: 'corrected' })
  await bob.sees('updated', (it) => it.message === 'corrected')
  check('bob sees the corrected message', true)

  await ana.sdk.deleteComment(room.id, [sent.unique_temp_id], true, true)
  const isIt = ({ commentUniqueIds }) => commentUniqueIds.includes(sent.unique_temp_id)
  await bob.sees('deleted', isIt)
  const left = await bob.sdk.loadComments(room.id)
  check('bob is notified of a deletion, and the message is gone',
    !left.some((it) => it.unique_temp_id === sent.unique_temp_id))

  const file = path.join(os.tmpdir(), `confab-proof-${process.pid}.txt`)
  fs.writeFileSync(file, 'bytes of ana')
  const url = await ana.sdk.upload(file, () => {})
  const back = await fetch(url)
  check('an uploaded file can be fetched', (await back.text()) === 'bytes of ana')
  fs.unlinkSync(file)

  const before = ana.front.posts
  ana.front.losesAnswerOf = 'post_comment'
  await ana.sdk.sendComment(room.id, 'once').then(
    () => check('the lost answer is noticed', false),
    () => {})
  await until('ana sends it again', () => ana.front.posts >= before + 2)
  await bob.sees('message', (it) => it.message === 'once')
  await until('it is not pending any more', () => ana.sdk._pendingComments.length === 0)
  const page = await bob.sdk.loadComments(room.id)
  check('a retry after a lost response posts no second message',
    page.filter((it) => it.message === 'once').length === 1 &&
    bob.all('message', (it) => it.message === 'once').length === 1)

  const group = await ana.sdk.createGroupRoom('Both', ['bob'], {})
  await ana.sdk.sendComment(group.id, 'in the group')
  await bob.sees('message', (it) => it.message === 'in the group')
  const [about] = (await ana.sdk.getRoomsInfo({ room_ids: [String(group.id)] })).results.rooms_info
  check('a group has both participants', about.participants.length === 2)
  await bob.sdk.clearRoomMessages([about.unique_id])
  await bob.sees('cleared', (it) => String(it.id) === String(group.id))
  check('a cleared room is empty for the user that cleared it',
    (await bob.sdk.loadComments(group.id)).length === 0 &&
    (await ana.sdk.loadComments(group.id)).length > 0)

  ana.sdk.realtimeAdapter.mqtt.stream.destroy()
  await bob.sees('presence', (it, who) => who === 'ana' && it[0] === '0')
  check('bob sees that ana is offline after her connection was lost', true)
}

main().then(
  () => {
    console.log('done')
    process.exit(0)
  },
  (error) => {
    console.error(error.stack || error, error.response ? error.response.text : '')
    process.exit(1)
  })
