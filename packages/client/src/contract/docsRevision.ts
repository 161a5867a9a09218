/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "00eb2b5effd94bfd9218e790723903360b93049be437b18cc32356831ea163b9"
