/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "fdd9a9ce1ca4e5fb94bb6a2c4f4dbe2242d236b40a62e82237532c85a9e35a00"
