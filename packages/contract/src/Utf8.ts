// Every runtime has these, but they are not part of ECMAScript, and `types: []` leaves them undeclared.
declare const TextEncoder: new () => {
  readonly encode: (text: string) => Uint8Array<ArrayBuffer>
}
declare const TextDecoder: new (
  label: "utf-8",
  options: { readonly fatal: boolean }
) => { readonly decode: (bytes: Uint8Array | ArrayBuffer) => string }

const encoder = new TextEncoder()
const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder("utf-8", { fatal: false })

export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

/** Throws on bytes that are not UTF-8. */
export const decodeStrict = (bytes: Uint8Array | ArrayBuffer): string => strict.decode(bytes)

/** Replaces bytes that are not UTF-8. */
export const decode = (bytes: Uint8Array | ArrayBuffer): string => lenient.decode(bytes)
