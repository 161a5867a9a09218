/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "415307b0e1271f4fa2b590cede9ad47f059fd62eaab68271143acb447770fe21"
