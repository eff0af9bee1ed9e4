// NGINX chooses a node by the client identifier in CONNECT: of all nodes that are ready, the one whose hash together with the identifier
// is the greatest. So the clients of a node that goes are spread over the others, and all others stay where they are. NGINX's own
// hash would be of the name in `server`, which all nodes share.
import crypto from 'crypto';
import cluster from 'nodes.js';

let identifier = '';

// Runs every two seconds. A node that is not ready twice is forgotten.
async function check() {
  await Promise.all(cluster.nodes.map(async (node) => {
    try {
      const answer = await ngx.fetch(cluster.readiness.replace('NODE', node), {headers: {Host: 'localhost'}});
      if (answer.status === 200) {
        ngx.shared.ready.set(node, '');
      }
    } catch (e) {
      // It has no address, or does not answer.
    }
  }));
}

function preread(s) {
  s.on('upstream', function (data, flags) { // bytes; 'upload' would give text
    const found = connect(data);
    if (found === undefined && !flags.last) {
      return; // more has to come
    }
    identifier = found || s.remoteAddress;
    s.done();
  });
}

// A number of MQTT, seven bits a byte: [value, where it ends]; undefined where it is not whole.
function number(data, at) {
  let value = 0;
  for (let i = 0; i < 4; i++) {
    if (at + i >= data.length) {
      return undefined;
    }
    const byte = data[at + i];
    value += (byte & 127) * Math.pow(128, i);
    if (byte < 128) {
      return [value, at + i + 1];
    }
  }
  return [-1, at + 4];
}

// The identifier, in hexadecimal digits; '' where this is no CONNECT or has none; undefined where it is not whole yet.
function connect(data) {
  if (data.length === 0) {
    return undefined;
  }
  if (data[0] !== 0x10) {
    return '';
  }
  const length = number(data, 1);
  if (length === undefined || data.length < length[1] + 2) {
    return undefined;
  }
  let at = length[1] + 2 + (data[length[1]] << 8 | data[length[1] + 1]); // behind the protocol's name
  if (data.length < at + 6) {
    return undefined;
  }
  const version = data[at];
  at += 4; // version, flags, keep alive
  if (version === 5) {
    const properties = number(data, at);
    if (properties === undefined) {
      return undefined;
    }
    at = properties[1] + properties[0];
  }
  if (data.length < at + 2) {
    return undefined;
  }
  const size = data[at] << 8 | data[at + 1];
  return data.length < at + 2 + size ? undefined : data.slice(at + 2, at + 2 + size).toString('hex');
}

// For whoever looks at port 8404.
function ready() {
  return 'ready: ' + ngx.shared.ready.keys().sort().join(', ') + '\n';
}

function node() {
  const ready = ngx.shared.ready.keys();
  let best, greatest = '';
  (ready.length > 0 ? ready : cluster.nodes).forEach((name) => {
    const hash = crypto.createHash('md5').update(name + ' ' + identifier).digest('hex');
    if (hash > greatest) {
      best = name;
      greatest = hash;
    }
  });
  return best;
}

export default {check, preread, node, ready};
