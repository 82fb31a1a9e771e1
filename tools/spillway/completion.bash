# SPDX-License-Identifier: MIT
# Completion of the spillway command for bash. Installed as bash-completion/completions/spillway.

# The word that is being completed, from a list of words.
_spillway_words()
{
    local IFS=$' \t\n'
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

# Files; with a pattern, folders and the files that match it.
_spillway_files()
{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "${COMP_WORDS[COMP_CWORD]}"
        compgen -f -X "!${1:-*}" -- "${COMP_WORDS[COMP_CWORD]}")
}

_spillway_setting()
{
    local values=
    # readline takes "=" for a word of its own: "key", "=", "value"
    if [[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
        local key=${COMP_WORDS[COMP_CWORD - 1]}
        [[ $key != = ]] || key=${COMP_WORDS[COMP_CWORD - 2]}
        case $key in
        enabled) values='true false' ;;
        mode) values='auto redirect passthrough' ;;
        report) values='virtual truthful' ;;
        log.level) values='error warn info debug' ;;
        stats) values='none exit' ;;
        esac
        local word=${COMP_WORDS[COMP_CWORD]}
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "${word#=}")
        return
    fi
    compopt -o nospace 2>/dev/null
    _spillway_words "$(spillway config keys --names 2>/dev/null | sed 's/$/=/')"
}

_spillway_run()
{
    local i
    # What follows "--", or the first word that is no option, is the program's.
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --)
            i=$((i + 1))
            break
            ;;
        --vram-limit | --config) i=$((i + 1)) ;;
        --set)
            i=$((i + 1))
            [[ ${COMP_WORDS[i + 1]} != = ]] || i=$((i + 2))
            ;;
        = | -*) ;;
        *) break ;;
        esac
    done
    if ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
        _command_offset "$i"
        return
    fi
    case ${COMP_WORDS[COMP_CWORD - 1]} in
    --vram-limit) _spillway_words '1GiB 2GiB 4GiB 6GiB 8GiB 50%' ;;
    --config) _spillway_files '*.json' ;;
    --set) _spillway_setting ;;
    *)
        if [[ ${COMP_WORDS[COMP_CWORD - 2]} == --set || ${COMP_WORDS[COMP_CWORD - 3]} == --set ]]; then
            _spillway_setting
        elif [[ ${COMP_WORDS[COMP_CWORD]} == -* ]]; then
            _spillway_words '--vram-limit --set --config --stats --print --help --'
        else
            mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
        fi
        ;;
    esac
}

_spillway_config()
{
    if ((COMP_CWORD == 2)); then
        _spillway_words 'show check init keys --help'
        return
    fi
    case ${COMP_WORDS[2]} in
    show)
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        --for) _spillway_files ;;
        *) _spillway_words '--for --json --help' ;;
        esac
        ;;
    check) _spillway_files '*.json' ;;
    esac
}

_spillway()
{
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _spillway_words 'run doctor config --help --version'
        return
    fi
    case ${COMP_WORDS[1]} in
    run) _spillway_run ;;
    doctor)
        case ${COMP_WORDS[COMP_CWORD - 1]} in
        --loader) _spillway_files '*.so*' ;;
        *) _spillway_words '--loader --json --verbose --help' ;;
        esac
        ;;
    config) _spillway_config ;;
    help | --help) _spillway_words 'run doctor config' ;;
    esac
}

complete -F _spillway spillway
