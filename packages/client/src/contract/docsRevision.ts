/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "5cbaf2defab56c8508a373723b88caac3e80cd62239ba601b223f382624496dc"
