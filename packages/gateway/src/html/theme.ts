/** The colors of every page of the gateway, light and dark. */
export const theme = `:root { color-scheme: light dark; --page: light-dark(#f3f4f6, #111418); --card: light-dark(#fff, #1a1f26);
  --text: light-dark(#15191e, #e9edf2); --soft: light-dark(#535c68, #a3adba); --line: light-dark(#dde1e6, #313944);
  --control: light-dark(#7b8490, #76818f); --well: light-dark(#f7f8fa, #141920); --accent: light-dark(#0b6158, #4fc7b8);
  --on-accent: light-dark(#fff, #062320); --warn: light-dark(#7a4b00, #f3c77c); --warn-well: light-dark(#fff6e3, #2c2413);
  --warn-line: light-dark(#e8cf9c, #5b4920); --bad: light-dark(#a4241c, #ff9d94); --bad-well: light-dark(#fdeeec, #331a19);
  --bad-line: light-dark(#efc1bc, #6b302d) }
`
