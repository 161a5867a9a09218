export const emptyBytes = new Uint8Array(0)
