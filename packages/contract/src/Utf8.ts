// Every runtime has these, but they are not part of ECMAScript, and `types: []` leaves them undeclared.
declare const TextEncoder: new () => {
  readonly encode: (text: string) => Uint8Array<ArrayBuffer>
  readonly encodeInto: (text: string, to: Uint8Array) => { readonly read: number; readonly written: number }
}
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: boolean }
) => { readonly decode: (bytes: Uint8Array | ArrayBuffer) => string }

const encoder = new TextEncoder()
const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder("utf-8", { fatal: false })

export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

const slice = /* @__PURE__ */ new Uint8Array(64 * 1024)

/** How many bytes `encode` makes of a text, without keeping them. */
export const byteLength = (text: string): number => {
  let bytes = 0
  for (let at = 0; at < text.length;) {
    const { read, written } = encoder.encodeInto(text.slice(at), slice)
    bytes += written
    at += read
  }
  return bytes
}

/** Throws on bytes that are not UTF-8. */
export const decodeStrict = (bytes: Uint8Array | ArrayBuffer): string => strict.decode(bytes)

/** Replaces bytes that are not UTF-8. */
export const decode = (bytes: Uint8Array | ArrayBuffer): string => lenient.decode(bytes)
