/** A file to send: its bytes, or also its type and name. Where only JSON can be written, the bytes are in base64. */
export type FileInput =
  | Uint8Array
  | { readonly bytes: Uint8Array; readonly contentType?: string; readonly filename?: string }
  | { readonly base64: string; readonly content_type?: string; readonly filename?: string }
