/** The eight groups of an IPv6 address, `::` filled with zeros. */
const groupsOf = (address: string): ReadonlyArray<string> => {
  const [head = "", tail] = address.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  return [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0"), ...right]
}

/** What one client has of the address space: an IPv4 address, or the first 64 bits of an IPv6 address. */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  return groupsOf(address)
    .slice(0, 4)
    .map((group) => (group.replace(/^0+/, "") || "0").toLowerCase())
    .join(":")
}
