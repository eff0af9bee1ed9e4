-- Applies a save point: all of it, or nothing. One that was applied already changes nothing and succeeds.
--
-- What frees memory comes before what takes it: a full Redis refuses the first command that may take memory, but not in a
-- script that has written before. So it takes a save point that frees something, and refuses any other as a whole. (This
-- is how Redis treats scripts without a shebang line; with one, all of them would be refused.)
--
-- A message may lie apart from its queues, under the name that their members have; {t}:references counts these. The caller
-- does not know all of their keys, which are in the same slot. While the slot moves they may be on another node: all of
-- them are asked for before anything is written, and if one is on another node, nothing is.
--
-- KEYS  1 position (hash)   2 sessions (hash)   3 wills (hash)   4 references (hash)   5 gone (sorted set)
--       6... the queues that change (sorted sets)
-- ARGV  1 the owner's epoch   2 the offset that the state must be at   3 the offset that it is to be at
--       4 to 9 how many arguments there are of each kind that follows, in this order:
--         sessions that go (fields), wills that go (fields), position, sessions, wills (fields and values),
--         messages that lie apart (name, how many references come, after how many ms Redis lets it go or 0, message)
--       then for each queue
--         1 if all of it goes first, else 0; how many ranges go; how many entries come; how many of these are references;
--         the ranges (first and last sequence number); the entries (sequence number and member), ascending
-- Returns 1 if it was applied, 0 if it had been before.
-- Errors  FENCED epoch <epoch>: a newer owner has claimed the shard
--         FENCED applied <offset>: the state is at this offset (-1: there is none)
--         TRYAGAIN: a message is on another node, for the slot moves
-- Complexity  O(changes * log(longest queue)), and FREED entries of queues that are gone besides as many as come; a queue that
--         goes as a whole is freed by another thread, or is renamed if it has references

local EPOCH, EXPECTED, APPLIED = ARGV[1], ARGV[2], ARGV[3]
local STEP = 1000 -- arguments of one command; Lua's stack has room for some 8,000
local FREED = 1000 -- entries of queues that are gone which a save point frees, and as many more as it brings: or what is
-- gone could grow without a bound
local REFERENCES = '#' -- a queue's member that counts its references: its score is less than 0 by their number

local epoch = redis.call('HGET', KEYS[1], 'epoch')
local applied = redis.call('HGET', KEYS[1], 'applied') or '-1'
if epoch and tonumber(epoch) > tonumber(EPOCH) then
  return redis.error_reply('FENCED epoch ' .. epoch)
end
if applied ~= EXPECTED then
  if applied == APPLIED and epoch == EPOCH then
    return 0
  end
  return redis.error_reply('FENCED applied ' .. applied)
end

-- Calls a command with the arguments from one index to another, some at a time.
local function call(command, key, from, to, arguments)
  for i = from, to, STEP do
    redis.call(command, key, unpack(arguments or ARGV, i, math.min(i + STEP - 1, to)))
  end
end

-- The index behind a number of arguments.
local function behind(index, count)
  return index + tonumber(count)
end

local goneSessions = 10
local goneWills = behind(goneSessions, ARGV[4])
local position = behind(goneWills, ARGV[5])
local sessions = behind(position, ARGV[6])
local wills = behind(sessions, ARGV[7])
local messages = behind(wills, ARGV[8])
local queues = behind(messages, ARGV[9])

-- First part: finds out what becomes of references and messages, and writes nothing.

local PREFIX = KEYS[1]:sub(1, -6) -- the key without "shard"
local names, added, freed = {}, {}, {} -- messages whose references change, and by how much

local function note(name)
  if not added[name] then
    names[#names + 1] = name
    added[name], freed[name] = 0, 0
  end
end

-- Asks for a key that the caller does not name.
local function ask(command, key, ...)
  local reply = redis.pcall(command, PREFIX .. key, ...)
  if type(reply) == 'table' and reply.err then
    error({ err = 'TRYAGAIN ' .. reply.err })
  end
  return reply
end

-- Whether such a key is there. Where a slot arrives, Redis takes a key that has not come yet for one that is not there, but
-- refuses two of which one is not there: so it is asked for with one that is.
local POSITIONS = redis.call('EXISTS', KEYS[1])
local function isThere(key)
  return ask('EXISTS', key, KEYS[1]) > POSITIONS
end

-- Notes that members go; gives how many references are among those that were not noted before.
local function free(members, noted)
  local count = 0
  for _, member in ipairs(members) do
    local kind = member:byte(12) or 0
    if kind % 4 >= 2 and not noted[member] then
      local at = 13 + kind % 2 * 7
      local name = member:sub(at, at + 23)
      note(name)
      freed[name] = freed[name] + 1
      noted[member] = true
      count = count + 1
    end
  end
  return count
end

-- An entry replaces the one with its sequence number. Most are higher than all that are there and replace nothing.
local function lastReplacing(key, from, to)
  local highest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
  highest = highest and tonumber(highest) or -1
  local last = from - 2
  while last + 2 <= to and tonumber(ARGV[last + 2]) <= highest do
    last = last + 2
  end
  return last
end

local function referencesOf(key)
  local score = redis.call('ZSCORE', key, REFERENCES)
  return score and -tonumber(score) or 0
end

-- A name that no queue that is gone has: where a log has lost its end, epochs and offsets come again.
local function nameOfGone(number)
  local name = EPOCH .. ':' .. APPLIED .. ':' .. number
  while isThere('gone:' .. name) do
    name = name .. '+'
  end
  return name
end

local changes = {} -- for each queue
local mostFreed = FREED
local at = queues
for k = 6, #KEYS do
  local change = { cleared = ARGV[at] == '1', ranges = at + 4 }
  change.first = change.ranges + 2 * tonumber(ARGV[at + 1])
  change.after = change.first + 2 * tonumber(ARGV[at + 2])
  change.references, change.replacing = 0, change.first - 2
  local before = referencesOf(KEYS[k])
  if change.cleared then
    if before > 0 then
      change.gone = nameOfGone(k)
    end
  else
    change.replacing = lastReplacing(KEYS[k], change.first, change.after - 2)
    change.references = before
    if before > 0 then
      local noted = {}
      for i = change.ranges, change.first - 1, 2 do
        local members = redis.call('ZRANGE', KEYS[k], ARGV[i], ARGV[i + 1], 'BYSCORE')
        change.references = change.references - free(members, noted)
      end
      for i = change.first, change.replacing, 2 do
        local members = redis.call('ZRANGE', KEYS[k], ARGV[i], ARGV[i], 'BYSCORE')
        change.references = change.references - free(members, noted)
      end
    end
  end
  change.counted = change.cleared and 0 or before
  change.references = change.references + tonumber(ARGV[at + 3])
  mostFreed = mostFreed + tonumber(ARGV[at + 2])
  changes[k] = change
  at = change.after
end

local goes = {} -- of each queue that is gone, as long as there is room: what goes of it now
for _, name in ipairs(redis.call('ZRANGE', KEYS[5], 0, mostFreed - 1)) do
  if mostFreed <= 0 then
    break
  end
  local key = 'gone:' .. name
  local members = isThere(key) and ask('ZRANGE', key, 0, mostFreed) or {} -- one of them is REFERENCES
  free(members, {})
  goes[#goes + 1] = { name = name, members = members, isAll = #members <= mostFreed }
  mostFreed = mostFreed - math.max(#members - 1, 1)
end

local brought = {} -- the names of messages that come
for i = messages, queues - 1, 4 do
  note(ARGV[i])
  added[ARGV[i]] = tonumber(ARGV[i + 1])
  brought[ARGV[i]] = true
end
local found, counts, unused, counted = {}, {}, {}, {}
for i = 1, #names, STEP do
  local to = math.min(i + STEP - 1, #names)
  for j, count in ipairs(redis.call('HMGET', KEYS[4], unpack(names, i, to))) do
    counts[names[i + j - 1]] = count and tonumber(count)
  end
end
for _, name in ipairs(names) do
  local count = math.max((counts[name] or 0) - freed[name], 0) + added[name] -- what comes now is never freed
  if brought[name] or count <= 0 then
    found[name] = isThere('msg:' .. name)
  end
  if count > 0 then
    counted[#counted + 1] = name
    counted[#counted + 1] = count
  elseif counts[name] then -- one that nobody counts is left alone
    unused[#unused + 1] = name
  end
end

-- Second part: writes.

call('HDEL', KEYS[2], goneSessions, goneWills - 1)
call('HDEL', KEYS[3], goneWills, position - 1)
for k = 6, #KEYS do
  local change = changes[k]
  if change.gone then
    redis.call('RENAME', KEYS[k], PREFIX .. 'gone:' .. change.gone)
  elseif change.cleared then
    redis.call('UNLINK', KEYS[k])
  end
  for i = change.ranges, change.first - 1, 2 do
    redis.call('ZREMRANGEBYSCORE', KEYS[k], ARGV[i], ARGV[i + 1])
  end
  for i = change.first, change.replacing, 2 do
    redis.call('ZREMRANGEBYSCORE', KEYS[k], ARGV[i], ARGV[i])
  end
end
for _, queue in ipairs(goes) do
  call('ZREM', PREFIX .. 'gone:' .. queue.name, 1, #queue.members, queue.members)
  if queue.isAll then
    redis.call('ZREM', KEYS[5], queue.name)
  end
end
for _, name in ipairs(unused) do
  redis.call('UNLINK', PREFIX .. 'msg:' .. name)
end
call('HDEL', KEYS[4], 1, #unused, unused)

redis.call('HSET', KEYS[1], 'epoch', EPOCH, 'applied', APPLIED)
call('HSET', KEYS[1], position, sessions - 1)
call('HSET', KEYS[2], sessions, wills - 1)
call('HSET', KEYS[3], wills, messages - 1)
call('HSET', KEYS[4], 1, #counted, counted)
for i = messages, queues - 1, 4 do
  local key, stays = PREFIX .. 'msg:' .. ARGV[i], ARGV[i + 2]
  if found[ARGV[i]] and stays == '0' then
    redis.call('PERSIST', key)
  elseif not found[ARGV[i]] and stays == '0' then
    redis.call('SET', key, ARGV[i + 3])
  elseif not found[ARGV[i]] then
    redis.call('SET', key, ARGV[i + 3], 'PX', stays)
  end
end
for k = 6, #KEYS do
  local change = changes[k]
  call('ZADD', KEYS[k], change.first, change.after - 1)
  if change.references > 0 and change.references ~= change.counted then
    redis.call('ZADD', KEYS[k], -change.references, REFERENCES)
  elseif change.references <= 0 and change.counted > 0 then
    redis.call('ZREM', KEYS[k], REFERENCES)
  end
  if change.gone then
    redis.call('ZADD', KEYS[5], 0, change.gone)
  end
end
return 1
