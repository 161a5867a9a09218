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

/** Changes to the search stayed if they helped with these too. Its words were written after them, so it does better here than elsewhere. */
export const decidingQuestions: ReadonlyArray<Question> = [
  ["take me off this issue", "issues.remove_assignees"],
  ["how many people looked at my repo", "repos.get_views"],
  ["make my own copy of a repository", "repos.create_fork"],
  ["save an API token for CI", "actions.create_or_update_repo_secret"],
  ["deploy a commit to production", "repos.create_deployment"],
  ["run the workflow again", "actions.re_run_workflow"],
  ["stop people from commenting on an issue", "issues.lock"],
  ["show the readme", "repos.get_readme"],
  ["add an actions variable", "actions.create_repo_variable"],
  ["rename master to main", "repos.rename_branch"],
  ["mark an issue as blocked by another", "issues.add_blocked_by_dependency"],
  ["assign somebody to an issue", "issues.add_assignees"],
  ["make a repo private", "repos.update"],
  ["throw away an outdated review", "pulls.dismiss_review"],
  ["add an ssh key to a repo for the server", "repos.create_deploy_key"],
  ["all emoji", "emojis.get"],
  ["write a changelog automatically", "repos.generate_release_notes"],
  ["bring my PR branch up to date with main", "pulls.update_branch"],
  ["new label with a colour", "issues.create_label"],
  ["contents of a directory", "repos.get_content"],
  ["abort a running pipeline", "actions.cancel_workflow_run"],
  ["open PRs", "pulls.list"],
  [
    "spin up a dev environment in the cloud",
    "codespaces.create_for_authenticated_user",
    "codespaces.create_with_repo_for_authenticated_user"
  ],
  [
    "what does github cost us",
    "billing.get_github_billing_usage_report_org",
    "billing.get_github_billing_usage_summary_report_org"
  ],
  ["grep all of github", "search.code"],
  ["protect the main branch", "repos.update_branch_protection"],
  ["commits in a PR", "pulls.list_commits"],
  ["close a pull request without merging", "pulls.update"],
  ["turn on security alerts", "repos.enable_vulnerability_alerts"],
  ["software bill of materials", "dependency_graph.export_sbom"],
  ["languages used", "repos.list_languages"],
  ["what branches are there", "repos.list_branches"],
  ["repos I have starred", "activity.list_repos_starred_by_authenticated_user"],
  ["sync my fork", "repos.merge_upstream"],
  ["was the pull request merged already", "pulls.check_if_merged"],
  ["full file tree", "git.get_tree"],
  ["invitations nobody accepted yet", "orgs.list_pending_invitations"],
  ["git log", "repos.list_commits"],
  ["let a first-time contributor's workflow run", "actions.approve_workflow_run"],
  ["children of an issue", "issues.list_sub_issues"],
  ["api limit status", "rate_limit.get"],
  ["who has access to the repository", "repos.list_collaborators"],
  ["another email address for my account", "users.add_email_for_authenticated_user"],
  ["ip addresses of github", "meta.get"],
  ["who is in a team", "teams.list_members_in_org"],
  ["break an issue into smaller ones", "issues.add_sub_issue"],
  ["who has reviewed this pr", "pulls.list_reviews"],
  ["milestones of a project", "issues.list_milestones"],
  ["shut down my codespace", "codespaces.stop_for_authenticated_user"],
  ["rename my repository", "repos.update"],
  ["read the discussion on issue 42", "issues.list_comments"],
  ["set up a team", "teams.create"],
  ["under what licence is this", "licenses.get_for_repo"],
  ["switch off a workflow", "actions.disable_workflow"],
  ["change the title of an issue", "issues.update"],
  ["version tags", "repos.list_tags"],
  ["leaked passwords in my code", "secret_scanning.list_alerts_for_repo"],
  ["who follows me", "users.list_followers_for_authenticated_user", "users.list_followers_for_user"],
  ["remove a repository forever", "repos.delete"],
  ["invite a colleague to the organization", "orgs.create_invitation"],
  ["security problems found by codeql", "code_scanning.list_alerts_for_repo"],
  ["which files does a pull request touch", "pulls.list_files"],
  ["give a friend write access to my repo", "repos.add_collaborator"],
  ["how many minutes did the run bill", "actions.get_workflow_run_usage", "actions.get_workflow_usage"],
  ["share a code snippet", "gists.create"],
  ["are all the checks green for this commit", "repos.get_combined_status_for_ref"],
  ["create a branch", "git.create_ref"],
  ["mark a deployment as successful", "repos.create_deployment_status"],
  ["list deployment environments", "repos.get_all_environments"],
  ["recent CI builds", "actions.list_workflow_runs_for_repo", "actions.list_workflow_runs"],
  ["who forked this", "repos.list_forks"],
  ["what labels does this repo have", "issues.list_labels_for_repo"],
  ["which secrets are configured", "actions.list_repo_secrets"],
  ["watch a repo", "activity.set_repo_subscription"],
  ["grab the zip that the build made", "actions.download_artifact"],
  ["what am I assigned to", "issues.list_for_authenticated_user", "issues.list"],
  ["ask bob for a code review", "pulls.request_reviewers"],
  ["change my bio", "users.update_authenticated"],
  ["search for bugs mentioning a crash", "search.issues_and_pull_requests"]
]

/** Operations at random, asked for without the words of their titles. The search was tuned on these. */
export const everydayQuestions: ReadonlyArray<Question> = [
  ["undo the star I gave to a snippet", "gists.unstar"],
  [
    "how many people have starred this project",
    "activity.get_stargazer_count_for_repo",
    "activity.list_stargazers_for_repo",
    "repos.get"
  ],
  ["stop getting notified about a repository", "activity.delete_repo_subscription", "activity.set_repo_subscription"],
  [
    "which of our own build machines are online",
    "actions.list_self_hosted_runners_for_org",
    "actions.list_self_hosted_runners_for_repo"
  ],
  ["abort a build that hangs", "actions.cancel_workflow_run", "actions.force_cancel_workflow_run"],
  [
    "set an environment variable for CI",
    "actions.create_repo_variable",
    "actions.create_environment_variable",
    "actions.create_org_variable",
    "actions.update_repo_variable",
    "actions.update_environment_variable",
    "actions.update_org_variable"
  ],
  ["let a contractor use Copilot", "copilot.add_copilot_seats_for_users"],
  ["which dev machines in the cloud do I have", "codespaces.list_for_authenticated_user"],
  ["invalidate tokens that were leaked", "credentials.revoke"],
  ["withdraw the invitation to our company", "orgs.cancel_invitation"],
  ["block a troll from our organization", "orgs.block_user"],
  [
    "add somebody to a team",
    "teams.add_or_update_membership_for_user_in_org",
    "teams.add_or_update_membership_for_user_legacy",
    "teams.add_member_legacy"
  ],
  [
    "give a team write access to a repository",
    "teams.add_or_update_repo_permissions_in_org",
    "teams.add_or_update_repo_permissions_legacy"
  ],
  ["which ticket is this one a part of", "issues.get_parent"],
  ["take the label off a bug", "issues.remove_label", "issues.remove_all_labels"],
  ["correct a typo in my comment", "issues.update_comment"],
  ["answer a remark in a code review", "pulls.create_reply_for_review_comment"],
  ["show me one pull request", "pulls.get"],
  ["put a remark on a line of a pull request", "pulls.create_review_comment"],
  ["make a new repo from our starter", "repos.create_using_template"],
  ["turn issues off for a repository", "repos.update"],
  ["what did this commit change", "repos.get_commit"],
  ["download the source code as a zip", "repos.download_zipball_archive"],
  [
    "how busy was the project in the last year",
    "repos.get_commit_activity_stats",
    "repos.get_participation_stats",
    "repos.get_code_frequency_stats"
  ],
  ["give a repository some keywords", "repos.replace_all_topics"],
  ["delete a file from a repository", "repos.delete_file"],
  [
    "who may push to the protected branch",
    "repos.get_access_restrictions",
    "repos.get_users_with_access_to_protected_branch",
    "repos.get_teams_with_access_to_protected_branch"
  ],
  [
    "test results of a commit",
    "checks.list_for_ref",
    "repos.get_combined_status_for_ref",
    "repos.list_commit_statuses_for_ref",
    "checks.list_suites_for_ref"
  ],
  [
    "send a failed webhook call again",
    "repos.redeliver_webhook_delivery",
    "orgs.redeliver_webhook_delivery",
    "apps.redeliver_webhook_delivery"
  ],
  ["take away somebody's access to my repository", "repos.remove_collaborator"],
  ["whom does she follow", "users.list_following_for_user"],
  ["remove an old email address of mine", "users.delete_email_for_authenticated_user"],
  ["find developers in Berlin", "search.users"],
  [
    "which libraries of ours have known security holes",
    "dependabot.list_alerts_for_repo",
    "dependabot.list_alerts_for_org",
    "dependabot.list_alerts_for_enterprise"
  ],
  [
    "how much did our organization pay this month",
    "billing.get_github_billing_usage_report_org",
    "billing.get_github_billing_usage_summary_report_org"
  ],
  ["my snippets", "gists.list"],
  ["what are the rules for this branch", "repos.get_branch_rules", "repos.get_branch_protection"],
  ["deploy to staging", "repos.create_deployment"],
  ["which versions does the API have", "meta.get_all_versions"],
  [
    "recover a package I deleted by mistake",
    "packages.restore_package_for_authenticated_user",
    "packages.restore_package_for_org",
    "packages.restore_package_for_user"
  ]
]

/** Written with them. The search was tuned by their totals alone, but whoever wrote its words had written these too. */
export const otherEverydayQuestions: ReadonlyArray<Question> = [
  ["mark everything in my inbox as read", "activity.mark_notifications_as_read"],
  ["what has happened publicly in our company lately", "activity.list_public_org_events"],
  [
    "get a token to register a new build machine of our own",
    "actions.create_registration_token_for_repo",
    "actions.create_registration_token_for_org"
  ],
  [
    "which steps did this build have and which failed",
    "actions.list_jobs_for_workflow_run",
    "actions.list_jobs_for_workflow_run_attempt"
  ],
  ["clear the CI cache", "actions.delete_actions_cache_by_key", "actions.delete_actions_cache_by_id"],
  ["activate a workflow that was switched off", "actions.enable_workflow"],
  ["who in the company has a Copilot licence", "copilot.list_copilot_seats"],
  [
    "remove a codespace I no longer need",
    "codespaces.delete_for_authenticated_user",
    "codespaces.delete_from_organization"
  ],
  ["who was invited to my repository", "repos.list_invitations"],
  ["make an employee an external collaborator", "orgs.convert_member_to_outside_collaborator"],
  [
    "which organizations do I belong to",
    "orgs.list_for_authenticated_user",
    "orgs.list_memberships_for_authenticated_user"
  ],
  ["which teams am I in", "teams.list_for_authenticated_user"],
  ["set a deadline for a group of tickets", "issues.create_milestone"],
  ["allow comments on a ticket again", "issues.unlock"],
  ["everything that was said on a ticket", "issues.list_comments"],
  ["give a thumbs up to a bug report", "reactions.create_for_issue"],
  ["change the title of a pull request", "pulls.update"],
  ["which commits are in this merge request", "pulls.list_commits"],
  ["tell a reviewer he need not look any more", "pulls.remove_requested_reviewers"],
  ["start a new private project on my own account", "repos.create_for_authenticated_user"],
  [
    "is vulnerability scanning on for this repo",
    "repos.check_vulnerability_alerts",
    "repos.check_automated_security_fixes"
  ],
  ["change the text of a release", "repos.update_release"],
  ["who wrote the most code", "repos.list_contributors", "repos.get_contributors_stats"],
  ["how often was my repo cloned", "repos.get_clones"],
  ["say yes to an invitation to a repo", "repos.accept_invitation_for_authenticated_user"],
  ["move a branch to another commit", "git.update_ref"],
  ["report that my external test passed for a commit", "repos.create_commit_status", "checks.create"],
  ["see whether my webhook works", "repos.ping_webhook", "repos.test_push_webhook", "orgs.ping_webhook"],
  ["publish my docs as a website", "repos.create_pages_site"],
  ["what may this person do in my repo", "repos.get_collaborator_permission_level"],
  ["hide my email address", "users.set_primary_email_visibility_for_authenticated_user"],
  ["does alice follow bob", "users.check_following_for_user"],
  ["find commits whose message says hotfix", "search.commits"],
  ["ignore a security warning about our code", "code_scanning.update_alert", "dependabot.update_alert"],
  ["which licenses can I choose from", "licenses.get_all_commonly_used"],
  [
    "add a card to the project board",
    "projects.add_item_for_org",
    "projects.add_item_for_user",
    "projects.create_draft_item_for_org",
    "projects.create_draft_item_for_authenticated_user"
  ],
  [
    "approve a deployment that waits",
    "actions.review_pending_deployments_for_run",
    "actions.review_custom_gates_for_run"
  ],
  ["what did CodeQL find in our whole organization", "code_scanning.list_alerts_for_org"],
  [
    "remove an old docker image",
    "packages.delete_package_for_org",
    "packages.delete_package_for_user",
    "packages.delete_package_for_authenticated_user",
    "packages.delete_package_version_for_org",
    "packages.delete_package_version_for_user",
    "packages.delete_package_version_for_authenticated_user"
  ],
  ["tell me about one branch", "repos.get_branch"]
]
