-- Applies a save point: all of it, or nothing. One that was applied already changes nothing and succeeds.
--
-- What frees memory comes before what takes it: a full Redis refuses the first command that may take memory, but not in a
-- script that has written before. So it takes a save point that frees something, and refuses any other as a whole. (This
-- is how Redis treats scripts without a shebang line; with one, all of them would be refused.)
--
-- KEYS  1 position (hash)   2 sessions (hash)   3 wills (hash)   4... the queues that change (sorted sets)
-- ARGV  1 the owner's epoch   2 the offset that the state must be at   3 the offset that it is to be at
--       4 to 8 how many arguments there are of each kind that follows, in this order:
--         sessions that go (fields), wills that go (fields), position, sessions, wills (fields and values)
--       then for each queue
--         1 if all of it goes first, else 0; how many ranges go; how many entries come;
--         the ranges (first and last sequence number); the entries (sequence number and member), ascending
-- Returns 1 if it was applied, 0 if it had been before.
-- Errors  FENCED epoch <epoch>: a newer owner has claimed the shard
--         FENCED applied <offset>: the state is at this offset (-1: there is none)
-- Complexity  O(changes * log(longest queue)); a queue that goes as a whole is freed by another thread

local EPOCH, EXPECTED, APPLIED = ARGV[1], ARGV[2], ARGV[3]
local STEP = 1000 -- arguments of one command; Lua's stack has room for some 8,000

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
local function call(command, key, from, to)
  for i = from, to, STEP do
    redis.call(command, key, unpack(ARGV, i, math.min(i + STEP - 1, to)))
  end
end

-- The index behind a number of arguments.
local function behind(index, count)
  return index + tonumber(count)
end

local goneSessions = 9
local goneWills = behind(goneSessions, ARGV[4])
local position = behind(goneWills, ARGV[5])
local sessions = behind(position, ARGV[6])
local wills = behind(sessions, ARGV[7])
local queues = behind(wills, ARGV[8])

-- An entry replaces the one with its sequence number. Most are higher than all that are there and replace nothing.
local function removeReplaced(key, from, to)
  local highest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
  if not highest then
    return
  end
  highest = tonumber(highest)
  for i = from, to, 2 do
    if tonumber(ARGV[i]) > highest then
      return
    end
    redis.call('ZREMRANGEBYSCORE', key, ARGV[i], ARGV[i])
  end
end

call('HDEL', KEYS[2], goneSessions, goneWills - 1)
call('HDEL', KEYS[3], goneWills, position - 1)
local entries = {} -- for each queue the index of its first entry and of the argument behind the last
local at = queues
for k = 4, #KEYS do
  if ARGV[at] == '1' then
    redis.call('UNLINK', KEYS[k])
  end
  local first = at + 3 + 2 * tonumber(ARGV[at + 1])
  local after = first + 2 * tonumber(ARGV[at + 2])
  for i = at + 3, first - 1, 2 do
    redis.call('ZREMRANGEBYSCORE', KEYS[k], ARGV[i], ARGV[i + 1])
  end
  removeReplaced(KEYS[k], first, after - 1)
  entries[k] = { first, after }
  at = after
end

redis.call('HSET', KEYS[1], 'epoch', EPOCH, 'applied', APPLIED)
call('HSET', KEYS[1], position, sessions - 1)
call('HSET', KEYS[2], sessions, wills - 1)
call('HSET', KEYS[3], wills, queues - 1)
for k = 4, #KEYS do
  call('ZADD', KEYS[k], entries[k][1], entries[k][2] - 1)
end
return 1
