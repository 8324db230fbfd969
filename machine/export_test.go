package machine

// CollectEvery makes collections wait for n nodes only.
func CollectEvery(m *Machine, n uint32) { m.collect.least = n }
