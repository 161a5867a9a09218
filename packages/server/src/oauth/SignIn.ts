/** How a person proves to the pages which account is theirs. */
export interface SignIn {
  /** The account of an API key. `undefined`: the key is not valid. */
  readonly byKey: (key: string) => Promise<string | undefined>
}
