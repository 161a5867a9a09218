/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "9b0d2cae30a7ad5ec042b67167b2900212c4cdced423f7f8f623224c5c3afa38"
