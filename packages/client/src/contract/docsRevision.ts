/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "0f04db2093d6bd1b167e9184a25571f5d26655d1d252f65dc9e4d525722188fa"
