/** Saves content as a file of this browser. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The download has its own reference by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
