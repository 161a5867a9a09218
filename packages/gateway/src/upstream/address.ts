type Range = readonly [base: number, bits: number]

const v4 = (text: string): number | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return undefined
  let value = 0
  for (const part of match.slice(1)) {
    // `010` is eight to some and ten to others.
    if (Number(part) > 255 || (part.length > 1 && part.startsWith("0"))) return undefined
    value = value * 256 + Number(part)
  }
  return value
}

const ranges = (...texts: ReadonlyArray<string>): ReadonlyArray<Range> =>
  texts.map((text) => {
    const [base = "", bits] = text.split("/")
    return [v4(base) ?? 0, Number(bits)]
  })

const closed = ranges(
  "0.0.0.0/8", // this network
  "10.0.0.0/8",
  "100.64.0.0/10", // shared by a carrier's customers
  "127.0.0.0/8",
  "169.254.0.0/16", // link-local, where clouds keep their metadata
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24", // documentation
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4", // multicast
  "240.0.0.0/4" // reserved, and broadcast
)

const isClosedV4 = (value: number): boolean =>
  closed.some(([base, bits]) => Math.floor(value / 2 ** (32 - bits)) === Math.floor(base / 2 ** (32 - bits)))

const hex = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups = text.split(":")
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined
}

/** The eight groups of an IPv6 address, however it is written. */
const v6 = (text: string): ReadonlyArray<number> | undefined => {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const last = dotted === null ? undefined : v4(dotted[2] ?? "")
  if (dotted !== null && last === undefined) return undefined
  const plain =
    last === undefined
      ? text
      : `${dotted?.[1]}${Math.floor(last / 65_536).toString(16)}:${(last % 65_536).toString(16)}`
  const halves = plain.split("::")
  const [front, back] = halves.map(hex)
  if (front === undefined || halves.length > 2) return undefined
  if (halves.length === 1) return front.length === 8 ? front : undefined
  if (back === undefined || front.length + back.length > 7) return undefined
  return [...front, ...Array.from({ length: 8 - front.length - back.length }, () => 0), ...back]
}

const embedded = (high = 0, low = 0): number => high * 65_536 + low

/** Only what is routed in public is open; an IPv4 address inside counts as itself. */
const isClosedV6 = (groups: ReadonlyArray<number>): boolean => {
  const [a = 0, b = 0, c, d, e, f, g, h] = groups
  const isZero = (...parts: ReadonlyArray<number | undefined>) => parts.every((part) => part === 0)
  const mapped = isZero(a, b, c, d) && ((e === 0 && f === 0xffff) || (e === 0xffff && f === 0) || isZero(e, f))
  const translated = a === 0x64 && b === 0xff9b && isZero(c, d, e, f)
  if (mapped || translated) return isClosedV4(embedded(g, h))
  if (a === 0x2002) return isClosedV4(embedded(b, c))
  if (a === 0x2001) return b < 0x200 || b === 0xdb8
  return a < 0x2000 || a >= 0x3fff
}

/**
 * Whether an IP address lies in a network of one's own: loopback, private, link-local, reserved or not to be reached by
 * one host alone. What is not an address is closed, too.
 */
export const isPrivate = (address: string): boolean => {
  const bare = address.replace(/%.*$/, "")
  const four = v4(bare)
  if (four !== undefined) return isClosedV4(four)
  const six = v6(bare)
  return six === undefined || isClosedV6(six)
}
