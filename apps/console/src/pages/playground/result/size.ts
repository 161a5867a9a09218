const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** `840 characters`, `1.2 kB`, `3 MB`. */
export const size = (characters: number): string => {
  if (characters < 1_000) return `${number.format(characters)} characters`
  return characters < 1_000_000 ? `${number.format(characters / 1_000)} kB` : `${number.format(characters / 1_000_000)} MB`
}
