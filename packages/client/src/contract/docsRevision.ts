/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "94748ef1d2be7340475d42daf4e850c8f4df85f8ce0faa92e7aa2a263776973c"
