/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "fcb71c57ac355d8b81d1de2a85680a8d0f383ae1226dce0d6f510b75b6c066fe"
