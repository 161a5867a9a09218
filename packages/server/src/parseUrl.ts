import { attempt } from "@tollgate/contract/attempt"
/** The URL of a server, if its protocol is one of these and its parts are percent-encoded. */
export const parseUrl = (text: string, ...protocols: ReadonlyArray<string>): URL | undefined =>
  attempt(() => {
    const url = new URL(text)
    // Throws if one of them is not percent-encoded.
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part)
    return protocols.includes(url.protocol) ? url : undefined
  })
