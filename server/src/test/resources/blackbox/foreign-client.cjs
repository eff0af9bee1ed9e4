// Runs mqtt.js clients for ScriptHost: a JSON request a line in, answers and events out.
'use strict'

const fs = require('fs')
const readline = require('readline')
const mqtt = require('mqtt')

const NO_REASON = -1
const clients = new Map()

const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')

const properties = (message) => {
  const all = {
    userProperties: Object.keys(message.user).length > 0 ? message.user : undefined,
    contentType: message.contentType ?? undefined,
    responseTopic: message.responseTopic ?? undefined,
    correlationData: message.correlation === null ? undefined : Buffer.from(message.correlation),
    messageExpiryInterval: message.expiry ?? undefined
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const received = (topic, payload, packet) => ({
  topic,
  payload: payload.toString('base64'),
  qos: packet.qos,
  retain: packet.retain,
  user: { ...packet.properties?.userProperties },
  contentType: packet.properties?.contentType,
  responseTopic: packet.properties?.responseTopic,
  correlation: packet.properties?.correlationData?.toString(),
  expiry: packet.properties?.messageExpiryInterval
})

const operations = {
  connect (request, answer) {
    const version5 = request.level === 5
    const options = {
      protocol: request.webSocket ? 'ws' : request.authority ? 'mqtts' : 'mqtt',
      host: request.host,
      port: request.port,
      path: request.path,
      clientId: request.clientId,
      clean: request.clean,
      protocolVersion: request.level,
      keepalive: request.keepAlive,
      reconnectPeriod: 0,
      resubscribe: false
    }
    if (request.authority) {
      options.ca = fs.readFileSync(request.authority)
      options.username = request.username
      options.password = request.password
    }
    if (version5) {
      options.properties = { sessionExpiryInterval: request.expiry, topicAliasMaximum: request.aliases }
      options.autoAssignTopicAlias = request.aliases > 0
      options.autoUseTopicAlias = request.aliases > 0
    }
    if (request.will) {
      options.will = {
        topic: request.will.topic,
        payload: Buffer.from(request.will.payload, 'base64'),
        qos: request.will.qos,
        retain: request.will.retain
      }
    }
    const client = mqtt.connect(options)
    const state = { client, version5, reason: NO_REASON, ended: false }
    clients.set(request.client, state)
    client.on('connect', (connack) => answer({ sessionPresent: connack.sessionPresent }))
    client.on('error', (error) => answer({ error: String(error) }))
    client.on('message', (topic, payload, packet) =>
      say({ client: request.client, message: received(topic, payload, packet) }))
    client.on('disconnect', (packet) => { state.reason = packet.reasonCode ?? NO_REASON })
    client.on('close', () => {
      if (!state.ended) say({ client: request.client, lost: state.reason })
    })
  },

  subscribe (request, answer, { client }) {
    client.subscribe(request.filter, { qos: request.qos }, (error, granted) => {
      if (error && error.code === undefined) return answer({ error: String(error) })
      answer({ reason: error ? error.code : granted[0].qos })
    })
  },

  unsubscribe (request, answer, { client }) {
    client.unsubscribe(request.filter, (error, packet) => {
      if (error) return answer({ error: String(error) })
      answer({ reason: packet?.granted?.[0] ?? 0 })
    })
  },

  publish (request, answer, { client, version5 }) {
    const message = request.message
    const options = { qos: message.qos, retain: message.retain }
    if (version5) options.properties = properties(message)
    client.publish(message.topic, Buffer.from(message.payload, 'base64'), options, (error, packet) => {
      if (error && error.code === undefined) return answer({ error: String(error) })
      answer({ reason: error ? error.code : packet?.reasonCode ?? 0 })
    })
  },

  disconnect (request, answer, state) {
    state.ended = true
    state.client.end(false, {}, () => answer({}))
  },

  close (request, answer, state) {
    if (state) {
      state.ended = true
      state.client.end(true)
      clients.delete(request.client)
    }
    answer({})
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  let answered = false
  const answer = (fields) => {
    if (!answered) say({ number: request.number, ...fields })
    answered = true
  }
  try {
    operations[request.operation](request, answer, clients.get(request.client))
  } catch (error) {
    answer({ error: String(error) })
  }
}).on('close', () => process.exit(0))
