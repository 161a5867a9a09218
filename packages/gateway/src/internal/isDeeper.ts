/** Whether the brackets of a JSON text are deeper in each other than this. Those in its strings count too. */
export const isDeeper = (text: string, levels: number): boolean => {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x5b || char === 0x7b) {
      if (++depth > levels) return true
    } else if (char === 0x5d || char === 0x7d) depth--
  }
  return false
}
