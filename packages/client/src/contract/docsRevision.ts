/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "469fcdab3d1d67e81f35fa0e530e425e06689df417d627181451cb959730407c"
