/** A committed file that is made, in part or whole, from the operations. */
export interface Generated {
  /** From the root of the repository. */
  readonly file: string
  /** The file's text with its generated part updated. */
  readonly make: (text: string) => Promise<string>
}
