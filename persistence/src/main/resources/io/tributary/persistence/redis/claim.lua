#!lua flags=allow-oom
-- Makes an owner the owner of a shard, and tells where the shard's state stands. Harmless when repeated. Runs also when
-- Redis is full: a shard must be able to change hands then, and this adds no more than one short field.
--
-- KEYS  1 the shard's position (hash)
-- ARGV  1 the owner's epoch
-- Returns the fields and values of the position, one after the other.
-- Errors  FENCED epoch <epoch>: a newer owner has claimed the shard
-- Complexity  O(other shards that handed something on), at most the number of shards

local epoch = redis.call('HGET', KEYS[1], 'epoch')
if epoch and tonumber(epoch) > tonumber(ARGV[1]) then
  return redis.error_reply('FENCED epoch ' .. epoch)
end
redis.call('HSET', KEYS[1], 'epoch', ARGV[1])
return redis.call('HGETALL', KEYS[1])
