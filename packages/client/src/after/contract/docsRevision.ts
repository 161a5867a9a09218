/**
 * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. `pnpm generate`
 * writes it; computing it here would pull every operation into a bundle.
 */
export const docsRevision = "a8e667bd389eb2ab7896aff9f86b973b817e1070e02ffcb72057d421f112176f"
