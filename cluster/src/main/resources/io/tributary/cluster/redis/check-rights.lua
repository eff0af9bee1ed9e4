#!lua flags=no-writes
-- Tells which commands of the scripts the caller may not use on the keys of shards. Calls none of them, and touches no key, so
-- that any server answers whatever its slots are.
--
-- ARGV  1 any key that a shard could have
-- Returns the names of the refused commands.
-- Complexity  O(1)

local key = ARGV[1]
local calls = {
  { 'HGET', key, 'f' }, { 'HGETALL', key }, { 'HSCAN', key, '0' }, { 'HSET', key, 'f', 'v' }, { 'HDEL', key, 'f' },
  { 'HMGET', key, 'f' }, { 'ZADD', key, '1', 'm' }, { 'ZRANGE', key, '0', '1' }, { 'ZSCORE', key, 'm' }, { 'ZREM', key, 'm' },
  { 'ZREMRANGEBYSCORE', key, '0', '1' }, { 'GET', key }, { 'SET', key, 'v' }, { 'EXISTS', key }, { 'PERSIST', key },
  { 'RENAME', key, key }, { 'UNLINK', key }, { 'INFO' }, { 'EVAL', '', '1', key }, { 'EVALSHA', '', '1', key }, { 'ASKING' },
}
local refused = {}
for _, call in ipairs(calls) do
  if not redis.acl_check_cmd(unpack(call)) then
    table.insert(refused, call[1])
  end
end
return refused
