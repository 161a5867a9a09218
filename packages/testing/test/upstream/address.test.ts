import { isPrivate } from "@tollgate/gateway/upstream/address"
import { describe, expect, it } from "vitest"

const privateOnes: ReadonlyArray<readonly [what: string, ...addresses: ReadonlyArray<string>]> = [
  ["this network", "0.0.0.0", "0.255.255.255", "::"],
  ["loopback", "127.0.0.1", "127.255.255.254", "::1"],
  ["private", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  ["unique-local", "fc00::1", "fdff:ffff::1"],
  ["link-local", "169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
  ["site-local", "fec0::1"],
  ["carrier-grade NAT", "100.64.0.0", "100.127.255.255"],
  ["multicast and broadcast", "224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  ["reserved", "240.0.0.1", "192.0.0.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "100::1", "4000::1"],
  ["documentation", "192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"],
  [
    "IPv4-mapped and IPv4-translated",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:10.0.0.1",
    "0:0:0:0:0:ffff:c0a8:101",
    "::ffff:0:127.0.0.1"
  ],
  ["IPv4-compatible", "::127.0.0.1", "::a00:1"],
  ["6to4", "2002:7f00:1::", "2002:c0a8:101::1", "2002:a9fe:a9fe::"],
  ["NAT64", "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1.1.1.1"],
  ["Teredo", "2001::1", "2001:0:4136:e378::1"],
  [
    "not an address",
    "",
    "localhost",
    "256.1.1.1",
    "1.1.1",
    "0x7f.0.0.1",
    "010.0.0.1",
    "2130706433",
    "1.1.1.1.",
    ":::",
    "1::2::3"
  ],
  [
    "not an IPv6 address",
    "2606:4700",
    "2606:4700::12345",
    "1:2:3:4:5:6:7:8:9",
    "[2606:4700::1]",
    "2606::1.1.1.256",
    "g::1"
  ]
]

const publicOnes = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450:4001:800::200e",
  "::ffff:1.1.1.1",
  "2002:101:101::",
  "64:ff9b::1.1.1.1",
  "2606:4700:0:0:0:0:0:1111"
]

describe("whether an address is private", () => {
  it.each(privateOnes.map(([what, ...addresses]) => ({ what, addresses })))("$what: private", ({ addresses }) => {
    for (const address of addresses) expect(isPrivate(address), address).toBe(true)
  })

  it.each(publicOnes)("%s: public", (address) => {
    expect(isPrivate(address)).toBe(false)
  })
})
