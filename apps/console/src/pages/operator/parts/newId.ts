/** Not `randomUUID`, which a page over plain http does not have. */
export const newId = (): string =>
  `console-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
