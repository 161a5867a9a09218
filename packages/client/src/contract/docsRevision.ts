/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "12aa807a75baa5e45b92dd3065e3c782081ee65c78afddd7b1fbf904a388dc7d"
