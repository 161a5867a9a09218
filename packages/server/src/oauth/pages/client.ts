import { foreignText } from "@tollgate/gateway/html"

/** A program that asks for access. */
export interface Client {
  readonly id: string
  /** As it calls itself. */
  readonly name: string | undefined
  /** Whether it is the gateway's own console. All others anybody can register, under any name. */
  readonly isOwn: boolean
}

/** The host that publishes the client's metadata, if its id is their address. Only that host can use the id. */
export const hostOf = ({ id }: Pick<Client, "id">): string | undefined => {
  const url = id.startsWith("https://") ? URL.parse(id) : null
  return url?.host
}

export const nameOf = (client: Pick<Client, "id" | "name">): string => {
  const name = foreignText(client.name ?? "")
  return name === "" ? (hostOf(client) ?? "An app without a name") : name
}

export interface Destination {
  /** The host, or the scheme of an app on this device. */
  readonly shown: string
  readonly kind: "web" | "this device"
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Where a redirect address leads. Hosts are in ASCII, so that no letter can look like another. */
export const destinationOf = (redirectUri: string): Destination => {
  const url = URL.parse(redirectUri)
  if (url === null) return { shown: foreignText(redirectUri), kind: "web" }
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { shown: `${url.protocol}//${url.host}`, kind: "this device" }
  return { shown: url.host, kind: loopback.test(url.hostname) ? "this device" : "web" }
}
