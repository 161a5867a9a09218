import { isPrivate as isPrivateAddress } from "@tollgate/gateway/operator"
import { isIP } from "node:net"

/** Checks literal addresses only. A name is resolved, and checked again, when it is called. */
const isPrivate = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  return isIP(host) !== 0 ? isPrivateAddress(host) : host === "localhost" || host.endsWith(".localhost")
}

/** A private address, and http, must be allowed. */
export const privateProblem = (url: URL, allowed: boolean): string | undefined => {
  if (allowed) return undefined
  if (isPrivate(url.hostname)) return 'this address is private; set "private": true to allow it'
  return url.protocol === "http:" ? 'use https; or set "private": true for a host in your own network' : undefined
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

/** The message does not repeat the address, which may contain a password. */
export const baseUrlProblem = (
  text: string,
  allowed: { readonly private: boolean; readonly insecure: boolean }
): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || /\s/.test(text)) {
    return 'expected an address that starts with https:// or http://, such as "https://api.example.com"'
  }
  if (url.username !== "" || url.password !== "") {
    return 'the address must not contain a user or password; use "credential"'
  }
  if (/[?#]/.test(text)) return "expected an address without a query or fragment"
  if (isPrivate(url.hostname) && !allowed.private) {
    return 'this address is private; set "private": true to allow it'
  }
  if (url.protocol === "http:" && !allowed.private && !allowed.insecure) {
    return 'use https; or set "private": true for a host in your own network, or "insecure": true to send credentials unencrypted'
  }
  return undefined
}
