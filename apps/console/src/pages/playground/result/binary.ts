import * as Base64 from "effect/encoding/Base64"
import { isObject } from "../json.ts"

/** An answer that is not JSON, as the client returns it. */
export interface Binary {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
}

export const isBinary = (value: unknown): value is Binary =>
  isObject(value) && value["bytes"] instanceof Uint8Array && typeof value["contentType"] === "string"

const typeOf = (contentType: string): string => contentType.replace(/;.*/s, "").trim().toLowerCase()

/** The name in `Content-Disposition`, without what leads out of a folder. */
const given = (disposition: string | undefined): string | undefined => {
  const [, quoted, bare] = /(?:^|;)\s*filename="?(?:([^"]*)"|([^";\s]+))/i.exec(disposition ?? "") ?? []
  const name = (quoted ?? bare)?.replaceAll(/[/\\\p{Cc}\p{Cf}]/gu, "_").slice(0, 100)
  return name === undefined || /^\.*$/.test(name) ? undefined : name
}

/** The name of a file with an answer in it. */
export const fileName = (id: string, contentType: string, disposition?: string): string => {
  const type = typeOf(contentType)
  const ending = /^[a-z]+\/([a-z0-9]{1,8})(?:\+xml)?$/.exec(type)?.[1] ?? "bin"
  return given(disposition) ?? `${id}.${ending}`
}

const shownImages = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"])
const mostShown = 8 * 1024 * 1024

/** The address of an image that is shown, or `undefined`. The policy of the page allows images within it, no other address. */
export const imageOf = ({ bytes, contentType }: Binary): string | undefined =>
  shownImages.has(typeOf(contentType)) && bytes.length <= mostShown
    ? `data:${typeOf(contentType)};base64,${Base64.encode(bytes)}`
    : undefined
