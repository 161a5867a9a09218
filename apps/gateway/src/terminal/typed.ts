/** What people type in front of a command. A checkout has a script in place of the installed program, and sets it. */
export const typed = { program: "tollgate" }
