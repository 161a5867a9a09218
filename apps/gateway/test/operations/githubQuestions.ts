/** A question as an agent asks it, and the operations that answer it, without their prefix; the first fits best. */
export type Question = readonly [question: string, ...expected: ReadonlyArray<string>]

/** The search was tuned on these. */
export const questions: ReadonlyArray<Question> = [
  ["list the open issues of a repository", "issues.list_for_repo"],
  ["merge a pull request", "pulls.merge"],
  ["who am I logged in as", "users.get_authenticated"],
  ["add a label to an issue", "issues.add_labels"],
  ["star a repository", "activity.star_repo_for_authenticated_user"],
  ["create a webhook", "repos.create_webhook", "orgs.create_webhook"],
  ["get the contents of a file", "repos.get_content"],
  ["rerun a failed workflow", "actions.re_run_workflow_failed_jobs", "actions.re_run_workflow"],
  ["open a pull request from my branch", "pulls.create"],
  ["comment on an issue", "issues.create_comment"],
  ["what changed between two commits", "repos.compare_commits_with_basehead", "repos.compare_commits"],
  ["close an issue", "issues.update"],
  ["fork a repo", "repos.create_fork"],
  ["publish a new release", "repos.create_release"],
  ["how many requests do I have left", "rate_limit.get"],
  ["search code for a string", "search.code"],
  ["ask someone to review my PR", "pulls.request_reviewers"],
  ["trigger a workflow manually", "actions.create_workflow_dispatch"],
  ["delete a branch", "git.delete_ref"],
  ["which programming languages does a repository use", "repos.list_languages"]
]

/** Written with the others; the search was not tuned on them. */
export const unseenQuestions: ReadonlyArray<Question> = [
  ["create an issue", "issues.create"],
  ["list branches", "repos.list_branches"],
  ["get the latest release", "repos.get_latest_release"],
  ["unstar a repo", "activity.unstar_repo_for_authenticated_user"],
  ["who are the members of an organization", "orgs.list_members", "orgs.list_public_members"],
  ["give a user access to my repository", "repos.add_collaborator"],
  ["download the build artifacts", "actions.download_artifact", "actions.list_artifacts_for_repo"],
  ["download the logs of a workflow run", "actions.download_workflow_run_logs"],
  ["approve a pull request", "pulls.create_review", "pulls.submit_review"],
  ["list my notifications", "activity.list_notifications_for_authenticated_user"],
  ["commit a file to a repository", "repos.create_or_update_file_contents"],
  ["files changed in a pull request", "pulls.list_files"],
  ["commit history of a repository", "repos.list_commits"],
  ["create a gist", "gists.create"],
  ["protect the main branch", "repos.update_branch_protection"],
  ["add an SSH key to my account", "users.create_public_ssh_key_for_authenticated_user"],
  ["set a secret for GitHub Actions", "actions.create_or_update_repo_secret"],
  ["assign an issue to somebody", "issues.add_assignees"],
  ["find repositories by name", "search.repos"],
  ["react to a comment with an emoji", "reactions.create_for_issue_comment"]
]

/** Written by somebody who had not read the search. GitHub takes uploads at another address, so one has no answer here. */
export const questionsByAnother: ReadonlyArray<Question> = [
  ["open a new bug report in a repository", "issues.create"],
  ["merge pull request", "pulls.merge", "pulls.merge_async"],
  ["who starred my repo", "activity.list_stargazers_for_repo"],
  ["trigger a workflow manually", "actions.create_workflow_dispatch"],
  ["rerun only the jobs that failed in a CI run", "actions.re_run_workflow_failed_jobs"],
  [
    "download logs of a workflow run",
    "actions.download_workflow_run_logs",
    "actions.download_workflow_run_attempt_logs",
    "actions.download_job_logs_for_workflow_run"
  ],
  ["how many API calls do I have left", "rate_limit.get"],
  ["ask a colleague to review my PR", "pulls.request_reviewers"],
  ["find source files containing a string across GitHub", "search.code"],
  ["read the contents of a file in a repo", "repos.get_content"],
  ["newest published version of a project", "repos.get_latest_release"],
  ["attach a binary to a release", "repos.upload_release_asset"],
  ["bring my fork up to date with the original", "repos.merge_upstream"],
  ["invite someone to collaborate on my repository", "repos.add_collaborator"],
  ["what programming languages does this repository use", "repos.list_languages"],
  ["require reviews and status checks on main branch", "repos.update_branch_protection"],
  ["set actions secret for repository", "actions.create_or_update_repo_secret"],
  ["diff between two commits or branches", "repos.compare_commits_with_basehead", "repos.compare_commits"],
  ["files changed in a pull request", "pulls.list_files"],
  ["stop people from commenting on a heated issue", "issues.lock"],
  ["paste a code snippet as a gist", "gists.create"],
  ["convert markdown text to html", "markdown.render", "markdown.render_raw"],
  ["add a public SSH key to my account", "users.create_public_ssh_key_for_authenticated_user"],
  ["unread notifications inbox", "activity.list_notifications_for_authenticated_user"],
  ["hand over a repository to another owner", "repos.transfer"],
  ["where do visitors to my repo come from", "repos.get_top_referrers"],
  ["leaked credentials alerts in a repository", "secret_scanning.list_alerts_for_repo"],
  ["kick a person out of the organizaton", "orgs.remove_member", "orgs.remove_membership_for_user"],
  ["create a team in an organization", "teams.create"],
  [
    "export SBOM for repo",
    "dependency_graph.export_sbom",
    "dependency_graph.generate_sbom_report",
    "dependency_graph.fetch_sbom_report"
  ]
]
