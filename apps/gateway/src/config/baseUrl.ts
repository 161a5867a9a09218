import { isPrivate as isPrivateAddress } from "@tollgate/gateway/upstream/address"
import { isIP } from "node:net"

/** By the address alone: what a name stands for is known only when it is called. */
const isPrivate = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  return isIP(host) !== 0 ? isPrivateAddress(host) : host === "localhost" || host.endsWith(".localhost")
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

/** What is wrong with an upstream's address, without repeating it: it may hold a password. */
export const baseUrlProblem = (
  text: string,
  allowed: { readonly private: boolean; readonly insecure: boolean }
): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || /\s/.test(text)) {
    return 'expected an address that starts with https:// or http://, such as "https://api.example.com"'
  }
  if (url.username !== "" || url.password !== "") {
    return 'an address holds no user or password; use "credential"'
  }
  if (/[?#]/.test(text)) return "expected an address without a query or fragment"
  if (isPrivate(url.hostname) && !allowed.private) {
    return 'this address is private; set "private": true if it is meant'
  }
  if (url.protocol === "http:" && !allowed.private && !allowed.insecure) {
    return 'use https; or set "private": true for a host of your own network, or "insecure": true to send credentials in the clear'
  }
  return undefined
}
