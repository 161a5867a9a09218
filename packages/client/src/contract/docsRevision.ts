/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "58866f852e50e449ef89e9e3c316f24a1c80278b11491d931ba46e07337c0d43"
