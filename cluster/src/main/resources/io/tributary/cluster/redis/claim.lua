#!lua flags=allow-oom
-- Makes an owner the owner of a shard, and tells where the shard's state stands. Harmless when repeated. Runs also when
-- Redis is full: a shard must be able to change hands then, and this adds no more than a few short fields.
--
-- KEYS  1 the shard's position (hash)
-- ARGV  1 the owner's epoch   2 the log that it is of, empty: not to be compared   3 1: also when the state is that of another
--       4 the lowest and 5 the highest offset that were used twice and are to be folded again, -1: none
--       6 the layout of the caller's version
-- Returns the fields and values of the position, one after the other.
-- Errors  FENCED epoch <epoch>: a newer owner has claimed the shard
--         FENCED log <log> <offset>: the state is that of this log, of which offsets up to this one are known
--         LAYOUT <layout>: the state lies there in another layout
-- Complexity  O(other shards that forwarded something), at most the number of shards

local EPOCH, LOG, FROM, TO, LAYOUT = ARGV[1], ARGV[2], ARGV[4], ARGV[5], ARGV[6]

local function get(field)
  return redis.call('HGET', KEYS[1], field)
end

local layout = get('layout') or redis.call('EXISTS', KEYS[1]) == 1 and '1' or LAYOUT
if layout ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. layout)
end
local epoch, applied, log = get('epoch') or '-1', get('applied') or '-1', get('log')
if log and LOG ~= '' and log ~= LOG and ARGV[3] ~= '1' then
  return redis.error_reply('FENCED log ' .. log .. ' ' .. (tonumber(epoch) > tonumber(applied) and epoch or applied))
end
if tonumber(epoch) > tonumber(EPOCH) then
  return redis.error_reply('FENCED epoch ' .. epoch)
end
redis.call('HSET', KEYS[1], 'epoch', EPOCH, 'layout', LAYOUT)
if LOG ~= '' then
  redis.call('HSET', KEYS[1], 'log', LOG)
end
if TO ~= '-1' then
  local from, to = get('reused-from'), get('reused-to')
  if not to or tonumber(to) <= tonumber(applied) or tonumber(from) > tonumber(FROM) then
    from = FROM -- else what was to be folded again before is not yet
  end
  redis.call('HSET', KEYS[1], 'reused-from', from, 'reused-to', TO)
  redis.call('HDEL', KEYS[1], 'snapshot-at') -- what was repeated may be among what the log has lost
  if tonumber(applied) >= tonumber(FROM) then
    redis.call('HSET', KEYS[1], 'applied', string.format('%.0f', tonumber(FROM) - 1), 'leader-epoch', '-1')
  end
end
return redis.call('HGETALL', KEYS[1])
